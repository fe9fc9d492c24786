"""What to do about each reason of a verdict: one sentence each, the short form of the tables in docs/verdicts.md."""

# Reason → (what it means, what helps now). Words for a screen that somebody reads beside a moving robot.
REMEDIES: dict[str, tuple[str, str]] = {
    "invalid_input": ("the sample could not be used", "find the driver that writes NaN or numbers that no robot can have"),
    "rank_deficient": ("a force in some direction changes no torque", "move the arm out of the straight pose, or put a sensor where it cannot sense"),
    "condition_number": ("in this pose some direction leaves too faint a trace", "another pose: bend the elbow, hand away from straight below the shoulder"),
    "reference_dominance": ("one shared joint makes most of the force", "read the joints below: does the arm itself agree?"),
    "clamped": ("the force was cut at the consumer's limit", "raise published_guard.clamp_force if such pushes are meant; else doubt the estimate"),
    "watchdog": ("the force was above its limit for too long; it latches", "find the cause, then reset; do not go on in the same pose"),
    "motion": ("the robot moves and its inertia is not taken out", "send joint velocities, a clock, gyro and accelerometer at 200 Hz or more"),
    "motion_unknown": ("nothing says whether the robot moves", "send joint velocities and a clock"),
    "missing_channels": ("a channel that the residual needs is not sent", "send velocities, and gyro and accelerometer where the base floats"),
    "low_rate": ("samples come too rarely for the residual", "send them at 200 Hz or more"),
    "gap": ("samples were lost", "wait: filters settle in a moment; look at the network if it comes back"),
    "settling": ("filters have restarted", "wait: it passes in a moment"),
    "time_back": ("a stamp is not after the last one", "look for two senders, or a clock that was set"),
    "saturated": ("a torque at its drive's limit was left out", "less load, or torque_limit in the profile"),
    "uncertain": ("the worst direction is known too badly for full use", "another pose (antaeus advise), or use the force with its sd"),
    "unobservable_direction": ("in this pose one direction can hardly be sensed: its number is only the prior's", "another pose; use the force with its sd"),
    "inconsistent": ("torques disagree with every contact by more than their noise", "tare or identify, if this also happens when nothing touches"),
    "torque_rate": ("a torque jumped", "look for an impact or a fault at the joints that stand out"),
    "stale": ("the sample is old", "look at the network, the driver and both clocks"),
    "infeasible": ("no ground could have made the feet's forces", "is the robot on a gantry, or touched elsewhere? Check the model's mass"),
    "base_rows_dropped": ("rows of the base are false while it moves", "nothing: they are left out"),
    "held": ("the sample is better than the state", "wait: the guard comes down after its dwell"),
    "force_limit": ("the force is beyond what the consumer was made for", "let go; if such contacts are meant, state rated_load in the profile"),
    "position_out_of_limits": ("a position is far beyond its joint's limits", "check the encoder, its unit and its zero"),
    "position_jump": ("a position changed faster than its joint can move", "check the encoder, or a driver that mixes joints or samples"),
    "dead_torque": ("a torque repeats to the last bit", "check the bus and that drive"),
    "orientation_contradicts": ("quaternion and accelerometer disagree about up", "check the quaternion's order and the accelerometer's axes"),
    "accelerometer_scale": ("the accelerometer's size is not gravity's", "its unit: m/s\u00b2, not g"),
    "no_clock": ("the sample has no usable stamp", "stamp each sample"),
    "contradiction": ("the shared joint contradicts every contact", "stop leaning on it: read the joints that stand out"),
    "unexplained": ("only a fault, or a contact elsewhere, explains the torques", "is the robot touched elsewhere? Another pose shows more"),
    "beyond_prior": ("an improbable contact, or a torque error that looks like one", "posterior.force_prior, if such contacts are meant"),
    "outside_identified": ("faster than it ever was while its noise was identified", "slow down, or identify with faster motion"),
    "assumed_friction": ("faster than the noise of a held pose says anything about", "slow down, or identify from motion"),
    "not_tared": ("the tare was refused or has ended: offsets are in the number again", "tare again while nothing touches"),
    "set_up_suspect": ("the check of the stream found an error of the set-up", "antaeus check says which, and writes the remedy with --fix"),
    "contact_since_start": ("a force has stood since the start", "start with nothing touching; a tool or load belongs into the profile, or is tared"),
    "residual_follows_gravity": ("the torques hold no gravity, or too little", "add gravity to them, or state that the driver takes it out"),
    "residual_follows_velocity": ("one joint's residual follows its velocity", "identify friction; check that velocity's sign and unit"),
    "nis_stays_high": ("misfits are, on average, larger than stated", "antaeus identify, then antaeus check"),
    "insensible_direction": ("this limb senses that direction in no pose", "a consumer that needs less, another limb, or a sensor"),
    "contact_elsewhere": ("a touch elsewhere on the limb explains the torques better", "look what touches the arm"),
    "joint_error": ("one joint's torque error explains the torques better than a contact", "tare or identify that joint"),
    "transient": ("the force changes faster than the filter follows", "wait, or use the sd"),
}


def remedy(reason: str) -> tuple[str, str]:
    """What a reason means and what helps now. A reason without an entry is its own words, and docs/verdicts.md for help."""
    return REMEDIES.get(reason, (reason.replace("_", " "), "docs/verdicts.md says what helps"))
