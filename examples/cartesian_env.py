"""Play the Cartesian-action environment: a policy that goes straight for the target, ten episodes in MuJoCo.

The environment has the Gymnasium interface, so that a learner takes the place of `policy` as it is.
"""
# prints: 10 of 10 episodes reached the target, 28 steps in the mean
import numpy as np

from antaeus.environments import CartesianReach

env = CartesianReach("panda", "panda_hand", axis_weights=(1, 1, 2), action_cost=0.01, change_cost=0.005)


def policy(observation):
    """Half the way to the target in the next step, as far as an action goes."""
    away = observation[-6:-3]
    return np.clip(away / (2 * 0.02), -1, 1)


reached, lengths, returns = 0, list[int](), list[float]()
for seed in range(10):
    observation, info = env.reset(seed=seed)
    terminated = truncated = False
    total, steps = 0.0, 0
    while not (terminated or truncated):
        observation, reward, terminated, truncated, info = env.step(policy(observation))
        total, steps = total + reward, steps + 1
    print(f"episode {seed}: target {np.round(info['target'], 2)}, {steps} steps, return {total:.2f}, {info['status']}")
    reached += terminated
    lengths.append(steps)
    returns.append(total)
print(f"{reached} of 10 episodes reached the target, {np.mean(lengths):.0f} steps in the mean")

# What is out of reach is approached and named.
env.reset(seed=0, options={"target": [1.2, 0.0, 0.6]})
for _ in range(80):
    observation, *_rest, info = env.step(policy(observation))
print(f"a target 1.2 m in front: {1000 * info['distance']:.0f} mm short, {info['status']}: {info['reason']}")
