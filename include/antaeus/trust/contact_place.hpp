#pragma once
/// \file
/// Where on a limb a contact is: evidence over its links, beside the endpoint, nothing at all, and a joint's fault.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/enumeration.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"

namespace antaeus {

struct ContactPlaceOptions {
  /// [1] how many times likelier a contact elsewhere must make the torques than one at the endpoint, and than none,
  /// until the endpoint's number is doubted
  double ratio = 9.0;
  /// [1] how many times likelier one joint's error must make the torques than a contact at the endpoint or nothing,
  /// until the endpoint's number is doubted
  double fault_ratio = 3.0;
  double alike = 20.0;  ///< [1] a place stays in the set where its torques are less than so many times likelier
  double set_probability = 0.95;  ///< [1] what the set of places holds at least
  double radius = 0.04;           ///< [m] of a limb: how far off its middle a push may act
  double none_prior = 0.25;       ///< [1] probability, before any data, that nothing touches
  double fault_prior = 0.1;    ///< [1] the same of one joint's fault; endpoint and other places share the rest evenly
  double offset_prior = 10.0;  ///< [N·m] sd of one joint's fault
};
ANTAEUS_API const OptionTable& options_of(const ContactPlaceOptions&);

/// Why an endpoint's contact is not placed: it is a foot, which carries the robot; its limb has too few torque rows of
/// its own (kLeastRows) to tell places apart; or the posterior reads base rows, which see every link alike.
enum class Unplaced : std::uint8_t { placed, foot, few_rows, base_rows };
constexpr auto enum_names(Unplaced) noexcept { return name_list<Unplaced>("placed", "foot", "few_rows", "base_rows"); }

/// One link of a limb that may be touched.
struct ContactPlace {
  int motor = -1;
  double log_evidence = kNaN, probability = kNaN;
  bool in_set = false;
};
constexpr void visit_fields(const ContactPlace*, auto&& visit) {
  using P = ContactPlace;
  visit(field("motor", "", "whose joint carries the link", &P::motor));
  visit(field("log_evidence", "1", "ln p(r | pushed there) − ln p(r | nothing touches)", &P::log_evidence));
  visit(field("probability", "1", "P(pushed there | r) when one of the causes is at work", &P::probability));
  visit(field("in_set", "", "whether it is among the places that cannot be excluded", &P::in_set));
}

/// Where the contact is that one limb's torques speak of.
struct ContactPlaces {
  Status status = Status::not_computed;
  Unplaced unplaced = Unplaced::placed;
  std::vector<ContactPlace> places;
  double endpoint_evidence = kNaN, endpoint = kNaN, none = kNaN, fault = kNaN;
  int fault_motor = -1;
  double fault_size = kNaN;
  bool endpoint_in_set = false, none_in_set = false, elsewhere = false, faulty = false, beyond_one_contact = false;
  int best = -1;
  Vector3 force = Vector3::Constant(kNaN), point = Vector3::Constant(kNaN);
  double open_length = kNaN;

  /// NaN in every number; memory stays.
  void invalidate(Status why) noexcept;
};
constexpr void visit_fields(const ContactPlaces*, auto&& visit) {
  using C = ContactPlaces;
  visit(field("status", "", "ok, or why there are no numbers", &C::status));
  visit(field("unplaced", "", "why this endpoint's contact is never placed", &C::unplaced));
  visit(field("places", "",
              "links of the limb, from its root; not the endpoint's own, of which a contact is the endpoint's wrench",
              &C::places));
  visit(field("endpoint_evidence", "1", "ln p(r | the endpoint's link is touched) − ln p(r | nothing touches)",
              &C::endpoint_evidence));
  visit(field("endpoint", "1", "P(the endpoint's link is touched | r)", &C::endpoint));
  visit(field("none", "1", "P(nothing touches | r)", &C::none));
  visit(field("fault", "1", "P(one joint's torque is wrong | r), of all its joints together", &C::fault));
  visit(field("fault_motor", "", "the joint that is most probably wrong, if one is", &C::fault_motor));
  visit(field("fault_size", "N·m", "by how much its torque is then wrong, measured less true", &C::fault_size));
  visit(field("endpoint_in_set", "", "whether the endpoint's link cannot be excluded", &C::endpoint_in_set));
  visit(field("none_in_set", "", "whether it cannot be excluded that nothing touches", &C::none_in_set));
  visit(field("elsewhere", "",
              "the endpoint's estimate claims a force, and a contact at another link explains the torques much better",
              &C::elsewhere));
  visit(field("faulty", "",
              "the endpoint's estimate claims a force, and one joint's error explains the torques better than a "
              "contact there, or "
              "nothing",
              &C::faulty));
  visit(
      field("beyond_one_contact", "",
            "neither one contact of a size that the prior allows, wherever, nor one joint's fault leaves no more than "
            "noise: two contacts, or something else",
            &C::beyond_one_contact));
  visit(field("best", "", "index of the most probable place", &C::best));
  visit(field("force", "N", "[3] a push there, world axes, in the posterior's sign", &C::force));
  visit(field("point", "m", "[3] where it acts at its likeliest, world axes with the base at the origin", &C::point));
  visit(field("open_length", "m",
              "along that push's line of action, between the outermost points that explain the torques about as well",
              &C::open_length));
}

/// Compares where a contact may be. r = −Jᵀ w + e is the residual of the limb's rows, e ~ N(0, R). Causes are
///
/// - none: r = e;
/// - the endpoint's link is touched: a wrench at its origin as PosteriorOptions::prior has it, or as probably one with
///   a third or a twentieth of its moments. Most pushes have little moment; of a prior that allows for much a pure
///   force would be thought rarer than a push at a link that fewer rows see;
/// - another link is touched: a force with that prior at the link's joint, half-way to the next joint, there, and at
///   its centre of mass, and at both joints with the moment too that it makes `radius` off the limb's middle. Joints
///   behind the link feel nothing of it. A place's evidence is the mean over its points;
/// - one joint's torque is wrong.
///
/// One line of action stays one line of action: a push at the forearm whose line goes through the wrist without a
/// moment that the wrist could not have is a push at the wrist to these rows. Then both are in the set, nothing is
/// flagged, and the endpoint's number is right about the force on the limb, not about its place.
///
/// With identified noise R is the covariance of these rows. A saturated row is no evidence. Contacts at two places are
/// no cause here (`beyond_one_contact`). Without allocation; all memory is taken by the constructor.
class ANTAEUS_API ContactPlaceTest {
 public:
  /// Torque rows that a limb must have: below that every torque is some push at some link.
  static constexpr int kLeastRows = 4;

  /// \param robot, posterior  of the reader: that robot, and a posterior whose rows, priors and sign are taken
  /// \throws OptionsError for options out of range
  ContactPlaceTest(const Robot& robot, const InstantReader& reader, const PosteriorEstimator& posterior,
                   ContactPlaceOptions options = {});

  /// One result an endpoint. \param estimates  of that posterior, or one like it \realtime
  /// (guarded_estimator_realtime_test)
  const std::vector<ContactPlaces>& judge(const PosteriorEstimates& estimates) noexcept;
  const std::vector<ContactPlaces>& results() const noexcept { return results_; }
  const ContactPlaceOptions& options() const noexcept { return options_; }
  /// Motors whose rows are read, from the limb's root; empty where it is unplaced.
  const std::vector<int>& rows(int endpoint) const noexcept {
    return limbs_[static_cast<std::size_t>(endpoint)].motors;
  }
  /// Names of the links in the order of `places`.
  const std::vector<std::string>& links(int endpoint) const noexcept {
    return limbs_[static_cast<std::size_t>(endpoint)].links;
  }

 private:
  /// Points of a link: its joint, half-way to the next joint, that joint, and the centre of mass. At the two joints a
  /// moment is tried too.
  static constexpr int kPoints = 4, kWrenches = 2;
  struct Limb {
    std::vector<int> motors;
    std::vector<std::string> links;
    std::vector<FrameId> frames;       ///< of the joints
    std::vector<Vector3> mass_centre;  ///< of the links, in their joints' axes
    Matrix6 prior = Matrix6::Zero();   ///< L with P₀ = L Lᵀ of the endpoint
    Matrix6X X;                        ///< columns of the rows
    MatrixX R, inverse, P;             ///< noise, its factor's inverse, and R⁻¹
    VectorX r, weighted;               ///< residual, P r
    std::vector<Vector3> joint;        ///< origins from the endpoint's, world axes
    std::vector<std::array<Vector3, kPoints>> points;
    /// Evidence of each point, the better of force and wrench, over e^(top/2) of its link.
    std::vector<std::array<double, kPoints>> at_point;
    std::vector<double> best, top;  ///< log evidence of a link's likeliest point; what it explains at most
    /// Evidence of a joint's fault, e^exponent / root, and its size [N·m].
    struct Fault {
      double exponent, root, size;
    };
    std::vector<Fault> fault;
    double favour = 0.0;  ///< ln of the number of places: what one has less than the endpoint before any data
    struct Ranked {
      double probability;
      bool* in_set;
    };
    std::vector<Ranked> ranked;
    std::vector<double> limits;  ///< χ² by rows
  };
  Status read(const PosteriorEstimates& estimates, int endpoint, Limb& limb, int& evidence) const noexcept;
  bool weigh(Limb& limb, ContactPlaces& result) const noexcept;
  void judge(const PosteriorEstimates& estimates, int endpoint) noexcept;

  ContactPlaceOptions options_;
  double force_ = 0.0, sign_ = 1.0;
  double contact_prior_ = 0.0;  ///< of a contact at the endpoint, and of one anywhere else
  double slack_ = 0.0;          ///< ln alike
  std::vector<Limb> limbs_;
  std::vector<ContactPlaces> results_;
};

}  // namespace antaeus
