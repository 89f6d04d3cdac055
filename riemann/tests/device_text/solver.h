// One solver in one precision, inside its namespace, with Real, M, W, A defined.
typedef Array<Real, M> State;
typedef Array<Real, A> Aux;
struct Normal { Array<State, W> waves; Array<Real, W> speeds; State amdq, apdq; };
struct Transverse { State bmasdq, bpasdq; };
struct TransverseAux { Aux below, here, above; };
inline Real real_min(Real a, Real b) { return a < b ? a : b; }
inline Real real_max(Real a, Real b) { return a > b ? a : b; }
inline Real real_abs(Real a) { return std::fabs(a); }
inline Real real_quotient(Real a, Real b) { return a / b; }
inline Real real_root(Real a) { return std::sqrt(a); }
inline Real real_sqrt(Real a) { return std::sqrt(a); }
