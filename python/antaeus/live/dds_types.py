"""Message types for cyclonedds: Unitree's LowState by its public definition (unitree_sdk2), and what we publish.

They are here for their names and layouts, by which a reader and a writer of DDS find each other. Messages are taken and given
as bytes; only tests let cyclonedds decode them. Imported where cyclonedds is installed, and not before.
"""
# mypy: ignore-errors
# (array[float32, 4] is cyclonedds's notation, which mypy reads with a plugin of theirs alone.)

from dataclasses import dataclass

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import autoid, final
from cyclonedds.idl.types import array, float32, float64, int16, int32, uint8, uint16, uint32


# ---- unitree_hg: H1-2, G1 ------------------------------------------------------------------------------------------------


@dataclass
@final
@autoid("sequential")
class HgImuState(IdlStruct, typename="unitree_hg.msg.dds_.IMUState_"):
    """The IMU; quaternion w x y z, gyroscope rad/s, accelerometer m/s²."""

    quaternion: array[float32, 4]
    gyroscope: array[float32, 3]
    accelerometer: array[float32, 3]
    rpy: array[float32, 3]
    temperature: int16


@dataclass
@final
@autoid("sequential")
class HgMotorState(IdlStruct, typename="unitree_hg.msg.dds_.MotorState_"):
    """A motor; q rad, dq rad/s, tau_est N·m."""

    mode: uint8
    q: float32
    dq: float32
    ddq: float32
    tau_est: float32
    temperature: array[int16, 2]
    vol: float32
    sensor: array[uint32, 2]
    motorstate: uint32
    reserve: array[uint32, 4]


@dataclass
@final
@autoid("sequential")
class HgLowState(IdlStruct, typename="unitree_hg.msg.dds_.LowState_"):
    """The state of a robot of up to 35 motors; tick in ms."""

    version: array[uint32, 2]
    mode_pr: uint8
    mode_machine: uint8
    tick: uint32
    imu_state: HgImuState
    motor_state: array[HgMotorState, 35]
    wireless_remote: array[uint8, 40]
    reserve: array[uint32, 4]
    crc: uint32


# ---- unitree_go: Go2, B2, H1 ---------------------------------------------------------------------------------------------


@dataclass
@final
@autoid("sequential")
class GoImuState(IdlStruct, typename="unitree_go.msg.dds_.IMUState_"):
    """The IMU; quaternion w x y z, gyroscope rad/s, accelerometer m/s²."""

    quaternion: array[float32, 4]
    gyroscope: array[float32, 3]
    accelerometer: array[float32, 3]
    rpy: array[float32, 3]
    temperature: uint8


@dataclass
@final
@autoid("sequential")
class GoMotorState(IdlStruct, typename="unitree_go.msg.dds_.MotorState_"):
    """A motor; q rad, dq rad/s, tau_est N·m."""

    mode: uint8
    q: float32
    dq: float32
    ddq: float32
    tau_est: float32
    q_raw: float32
    dq_raw: float32
    ddq_raw: float32
    temperature: uint8
    lost: uint32
    reserve: array[uint32, 2]


@dataclass
@final
@autoid("sequential")
class GoBmsState(IdlStruct, typename="unitree_go.msg.dds_.BmsState_"):
    """The battery."""

    version_high: uint8
    version_low: uint8
    status: uint8
    soc: uint8
    current: int32
    cycle: uint16
    bq_ntc: array[uint8, 2]
    mcu_ntc: array[uint8, 2]
    cell_vol: array[uint16, 15]


@dataclass
@final
@autoid("sequential")
class GoLowState(IdlStruct, typename="unitree_go.msg.dds_.LowState_"):
    """The state of a robot of up to 20 motors; tick in ms."""

    head: array[uint8, 2]
    level_flag: uint8
    frame_reserve: uint8
    sn: array[uint32, 2]
    version: array[uint32, 2]
    bandwidth: uint16
    imu_state: GoImuState
    motor_state: array[GoMotorState, 20]
    bms_state: GoBmsState
    foot_force: array[int16, 4]
    foot_force_est: array[int16, 4]
    tick: uint32
    wireless_remote: array[uint8, 40]
    bit_flag: uint8
    adc_reel: float32
    temperature_ntc1: uint8
    temperature_ntc2: uint8
    power_v: float32
    power_a: float32
    fan_frequency: array[uint16, 4]
    reserve: uint32
    crc: uint32


# ---- ROS 2: what is published ----------------------------------------------------------------------------------------------


@dataclass
@final
@autoid("sequential")
class Time(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    """A moment."""

    sec: int32
    nanosec: uint32


@dataclass
@final
@autoid("sequential")
class Header(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    """When, and in which frame."""

    stamp: Time
    frame_id: str


@dataclass
@final
@autoid("sequential")
class Vector3(IdlStruct, typename="geometry_msgs.msg.dds_.Vector3_"):
    """Three numbers."""

    x: float64
    y: float64
    z: float64


@dataclass
@final
@autoid("sequential")
class Wrench(IdlStruct, typename="geometry_msgs.msg.dds_.Wrench_"):
    """Force in N, moment in N·m."""

    force: Vector3
    torque: Vector3


@dataclass
@final
@autoid("sequential")
class WrenchStamped(IdlStruct, typename="geometry_msgs.msg.dds_.WrenchStamped_"):
    """geometry_msgs/WrenchStamped."""

    header: Header
    wrench: Wrench


@dataclass
@final
@autoid("sequential")
class String(IdlStruct, typename="std_msgs.msg.dds_.String_"):
    """std_msgs/String."""

    data: str
