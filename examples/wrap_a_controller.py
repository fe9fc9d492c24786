"""A Cartesian impedance behind the two interfaces that arms are driven by: a callback as libfranka's, and a controller
as ros2_control's. Neither library is needed here: stand-ins have the same shapes."""
# prints: callback: pushed by 10 N, gives way by 20.0 mm
import sys
from dataclasses import dataclass

import numpy as np

import antaeus
from antaeus.control import CartesianImpedance, ToolDynamics


# ----------------------------------------------------------------- libfranka: robot.control(callback), once each 1 ms
@dataclass
class RobotState:  # franka::RobotState
    q: np.ndarray
    dq: np.ndarray


class CallbackImpedance:
    """Gives torques for which the robot adds gravity by itself, as franka::Torques."""

    def __init__(self, model, start):
        self.tool = ToolDynamics(model, "panda_hand_tcp")
        self.control = CartesianImpedance(model, torque_rate=1000.0)
        self.posture = start.q
        self.X_WT = self.tool.at(self.posture, np.zeros(7)).X_WT

    def __call__(self, state):
        now = self.tool.at(state.q, state.dq)
        given = self.control.update(now, self.X_WT, posture=self.posture)
        if given.status != "ok":
            return np.zeros(7)  # and gravity is carried by the robot
        return given.tau - now.g


# ------------------------------------------------------- ros2_control: ControllerInterface with effort commands
@dataclass
class Interface:  # hardware_interface::LoanedStateInterface and LoanedCommandInterface
    value: float = 0.0


class EffortImpedance:
    def __init__(self, model, state):
        self.tool, self.control = ToolDynamics(model, "panda_hand_tcp"), CartesianImpedance(model)
        self.posture, v = self.read(state)
        self.X_WT = self.tool.at(self.posture, v).X_WT

    def update(self, state, command):
        given = self.control.update(self.tool.at(*self.read(state)), self.X_WT, posture=self.posture)
        if given.status != "ok":
            return "ERROR"  # the manager stops the controller
        for interface, torque in zip(command, given.tau):
            interface.value = torque
        return "OK"

    @staticmethod
    def read(state):
        numbers = np.array([interface.value for interface in state])
        return numbers[0::2], numbers[1::2]


# ----------------------------------------------------------------- an arm for both, pushed along x at its fingertip
def pushed_by(model, force, torque):
    dynamics, tool = antaeus.Dynamics(model), ToolDynamics(model, "panda_hand_tcp")
    q, v = np.array([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]), np.zeros(7)
    start = tool.at(q, v).X_WT.translation[0]
    for _ in range(8000):
        now = tool.at(q, v)
        v = v + 1e-3 * dynamics.forward_dynamics(q, v, torque(q, v, now) + force * now.J[0])
        q = q + 1e-3 * v
    return tool.at(q, v).X_WT.translation[0] - start


robot = antaeus.load_robot("panda")
told = robot.profile.options
fingers = {"panda_finger_joint1": 0.02, "panda_finger_joint2": 0.02}  # of this hand, on this arm
model = antaeus.RobotModel(robot.model.description(), antaeus.ModelOptions(
    base=told.base, gravity=told.gravity, payloads=told.payloads, armature=told.armature, locked_joints=fingers,
    motors=told.motors))

callback: list[CallbackImpedance] = []  # made at the first cycle, where the arm stands


def by_callback(q, v, now):
    state = RobotState(q, v)
    if not callback:
        callback.append(CallbackImpedance(model, state))
    return callback[0](state) + now.g


controller: list[EffortImpedance] = []
states, commands = [Interface() for _ in range(14)], [Interface() for _ in range(7)]


def by_controller(q, v, now):
    for interface, value in zip(states, np.column_stack([q, v]).ravel()):
        interface.value = value
    if not controller:
        controller.append(EffortImpedance(model, states))
    if controller[0].update(states, commands) != "OK":
        return np.zeros(7)
    return np.array([interface.value for interface in commands])


gives_way = [pushed_by(model, 10.0, torque) for torque in (by_callback, by_controller)]
print(f"callback: pushed by 10 N, gives way by {1e3 * gives_way[0]:.1f} mm")
print(f"controller: pushed by 10 N, gives way by {1e3 * gives_way[1]:.1f} mm")
sys.exit(int(abs(gives_way[0] - gives_way[1]) >= 1e-6))
