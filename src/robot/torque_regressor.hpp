#pragma once
// Declares the one algorithm of <pinocchio/algorithm/regressor.hpp> that we call, as that header does. libpinocchio has
// it compiled for vectors; but the header defines it inline, and a file that calls it through the header compiles all
// of its visitors again: 34 of the 46 s of dynamics.cpp. A declaration that no longer fits does not link.
#include <pinocchio/multibody.hpp>

namespace pinocchio {

template <typename Scalar, int Options, template <typename, int> class JointCollectionTpl, typename ConfigVectorType,
          typename TangentVectorType1, typename TangentVectorType2>
// NOLINTNEXTLINE(readability-*): the header's own words
typename DataTpl<Scalar, Options, JointCollectionTpl>::MatrixXs& computeJointTorqueRegressor(
    const ModelTpl<Scalar, Options, JointCollectionTpl>& model, DataTpl<Scalar, Options, JointCollectionTpl>& data,
    const Eigen::MatrixBase<ConfigVectorType>& q, const Eigen::MatrixBase<TangentVectorType1>& v,
    const Eigen::MatrixBase<TangentVectorType2>& a);

}  // namespace pinocchio
