"""Writes what Pinocchio's own URDF parser and algorithms give for a robot, for pinocchio_parity_test.cpp to compare with.

usage: make_pinocchio_reference.py ROBOT.urdf FOLDER ARMATURE FRAME...

ARMATURE is the rotor inertia of every joint, kg·m².
"""

import pathlib
import sys

import numpy as np
import pinocchio as pin

STATES = 40


def main(urdf, folder, armature, frames):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model = pin.buildModelFromUrdf(urdf, pin.JointModelFreeFlyer())
    model.armature[6:] = armature
    data = model.createData()
    random = np.random.default_rng(501)
    results = {name: [] for name in "q v a rnea crba aba coriolis nle poses jacobians".split()}
    for _ in range(STATES):
        q = pin.integrate(model, pin.neutral(model), random.uniform(-3.0, 3.0, model.nv))
        v, a = random.uniform(-1.0, 1.0, model.nv), random.uniform(-10.0, 10.0, model.nv)
        tau = pin.rnea(model, data, q, v, a).copy()
        upper = np.triu(pin.crba(model, data, q))
        results["q"].append(q)
        results["v"].append(v)
        results["a"].append(a)
        results["rnea"].append(tau)
        results["crba"].append(upper + np.triu(upper, 1).T)
        results["aba"].append(pin.aba(model, data, q, v, tau).copy())
        results["coriolis"].append(pin.computeCoriolisMatrix(model, data, q, v).copy())
        results["nle"].append(pin.nonLinearEffects(model, data, q, v).copy())
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        ids = [model.getFrameId(frame) for frame in frames]
        results["poses"].append([data.oMf[i].homogeneous[:3, :] for i in ids])
        results["jacobians"].append(
            [pin.getFrameJacobian(model, data, i, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED).copy() for i in ids]
        )
    for name, values in results.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(values, dtype=np.float64))
    (folder / "joints.txt").write_text("\n".join(list(model.names)[2:]) + "\n")  # after universe and root_joint


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4:])
