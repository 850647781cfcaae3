Require Import Reals Lra.
Open Scope R_scope.

Lemma le_of (a b s : R) : b - a = s -> 0 <= s -> a <= b. Proof. lra. Qed.
Lemma lt_of (a b s : R) : b - a = s -> 0 < s -> a < b. Proof. lra. Qed.
Lemma eq_of (a b s : R) : b - a = s -> s = 0 -> a = b. Proof. lra. Qed.
Lemma ne_of (a b s : R) : b - a = s -> s <> 0 -> a <> b. Proof. intros H n E; apply n; lra. Qed.
Lemma slack_le (a b : R) : a <= b -> 0 <= b - a. Proof. lra. Qed.
Lemma slack_lt (a b : R) : a < b -> 0 < b - a. Proof. lra. Qed.
Lemma slack_eq (a b : R) : a = b -> b - a = 0. Proof. lra. Qed.
Lemma zero_le (s : R) : s = 0 -> 0 <= s. Proof. lra. Qed.
Lemma zero_left (a b : R) : a = 0 -> a * b = 0. Proof. intros ->; ring. Qed.
Lemma zero_right (a b : R) : b = 0 -> a * b = 0. Proof. intros ->; ring. Qed.
Lemma zero_over (a b : R) : a = 0 -> a / b = 0. Proof. intros ->; unfold Rdiv; ring. Qed.
Lemma zero_sum (a b : R) : a = 0 -> b = 0 -> a + b = 0. Proof. lra. Qed.
Lemma over_le (a b : R) : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros; apply Rmult_le_pos; [assumption | apply Rlt_le, Rinv_0_lt_compat; assumption]. Qed.
Lemma over_lt (a b : R) : 0 < a -> 0 < b -> 0 < a / b. Proof. intros; apply Rdiv_lt_0_compat; assumption. Qed.
Lemma over_ne (a b : R) : a <> 0 -> b <> 0 -> a / b <> 0.
Proof. intros; apply Rmult_integral_contrapositive_currified; [assumption | apply Rinv_neq_0_compat; assumption]. Qed.
Lemma even_power (a : R) (n : nat) : 0 <= a ^ (2 * n). Proof. rewrite pow_mult; apply pow_le, pow2_ge_0. Qed.
Lemma even_power_lt (a : R) (n : nat) : a <> 0 -> 0 < a ^ (2 * n).
Proof. intros; rewrite pow_mult; apply pow_lt; simpl; rewrite Rmult_1_r; apply Rlt_0_sqr; assumption. Qed.

(* The nonnegative root of any degree; Coq's own library has that of degree 2, `sqrt` *)
Lemma root_exists (n : nat) (x : R) : 0 <= x -> {y : R | 0 <= y <= 1 + x /\ y ^ S n - x = 0}.
Proof.
  intro; apply IVT_cor; [reg | lra |].
  assert ((1 + x) ^ 1 <= (1 + x) ^ S n) by (apply Rle_pow; [lra | apply le_n_S, Nat.le_0_l]).
  assert (0 <= x * ((1 + x) ^ S n - x)) by (rewrite pow_1 in *; apply Rmult_le_pos; lra).
  rewrite pow_i by apply Nat.lt_0_succ; lra.
Qed.
Definition root (n : nat) (x : R) : R :=
  match Rle_dec 0 x with left above => proj1_sig (root_exists (pred n) x above) | right _ => 0 end.
Arguments root _%nat _%R.
Lemma root_pos (n : nat) (x : R) : 0 <= root n x.
Proof. unfold root; destruct (Rle_dec 0 x) as [above |]; [apply (proj2_sig (root_exists (pred n) x above)) | lra]. Qed.
Lemma root_power (n : nat) (x : R) : 0 <= x -> root n x ^ S (pred n) = x.
Proof.
  intro; unfold root; destruct (Rle_dec 0 x) as [above |]; [| lra].
  apply Rminus_diag_uniq, (proj2_sig (root_exists (pred n) x above)).
Qed.
Lemma root_lt (n : nat) (x : R) : 0 < x -> 0 < root n x.
Proof.
  intro; destruct (root_pos n x) as [| E]; [assumption | pose proof (root_power n x) as law].
  rewrite <- E, pow_i in law by apply Nat.lt_0_succ; lra.
Qed.

Ltac vanishes := first
  [ assumption
  | match goal with
    | |- _ - _ = 0 => apply slack_eq; assumption
    | |- _ * _ = 0 => first [ apply zero_right; vanishes | apply zero_left; vanishes ]
    | |- _ / _ = 0 => apply zero_over; vanishes
    | |- _ + _ = 0 => apply zero_sum; vanishes
    end
  | lra ].
Ltac nonnegative := first
  [ assumption
  | match goal with
    | |- 0 <= _ ^ 2 => apply pow2_ge_0
    | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nonnegative
    | |- 0 <= _ * _ => apply Rmult_le_pos; nonnegative
    | |- 0 <= _ / _ => apply over_le; [ nonnegative | positive ]
    | |- 0 <= _ - _ => apply slack_le; first [ assumption | apply Rlt_le; assumption ]
    | |- 0 <= ?x ^ 4 => apply (even_power x 2)
    | |- 0 <= ?x ^ 6 => apply (even_power x 3)
    | |- 0 <= ?x ^ 8 => apply (even_power x 4)
    | |- 0 <= _ ^ _ => apply pow_le; nonnegative
    | |- 0 <= _ => apply Rlt_le; assumption
    end
  | apply zero_le; vanishes
  | lra ]
with positive := first
  [ assumption
  | match goal with
    | |- 0 < _ + _ => first [ apply Rplus_lt_le_0_compat; [ positive | nonnegative ]
                            | apply Rplus_le_lt_0_compat; [ nonnegative | positive ] ]
    | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
    | |- 0 < _ / _ => apply over_lt; positive
    | |- 0 < _ - _ => apply slack_lt; assumption
    | |- 0 < ?x ^ 2 => apply (even_power_lt x 1); nonzero
    | |- 0 < _ ^ _ => apply pow_lt; positive
    | |- 0 < sqrt _ => apply sqrt_lt_R0; positive
    | |- 0 < root _ _ => apply root_lt; positive
    | |- 0 < Rabs _ => apply Rabs_pos_lt; nonzero
    end
  | lra
  | match goal with
    | H : _ <> 0 |- 0 < ?x => assert (0 <= x) by nonnegative; assert (x <> 0) by (intro; apply H; lra); lra
    end ]
with nonzero := first
  [ assumption
  | lra
  | apply Rgt_not_eq; red; positive
  | match goal with H : _ <> 0 |- _ <> 0 => intro; apply H; lra end
  | match goal with H : ?x ^ _ <> 0 |- _ <> 0 => intro; apply H; replace x with 0 by lra; ring end
  | match goal with H : _ <> 0 |- ?x <> 0 => let Z := fresh in intro Z; apply H; rewrite Z; unfold Rdiv; ring end
  | match goal with
    | |- _ * _ <> 0 => apply Rmult_integral_contrapositive_currified; nonzero
    | |- _ / _ <> 0 => apply over_ne; nonzero
    | |- _ ^ _ <> 0 => apply pow_nonzero; nonzero
    | |- - _ <> 0 => apply Ropp_neq_0_compat; nonzero
    end
  | apply Rlt_not_eq; lra ].
Ltac root_law := first
  [ apply sqrt_pos
  | apply root_pos
  | symmetry; apply pow2_sqrt; nonnegative
  | symmetry; apply root_power; nonnegative ].
(* A whole number, of which it is said that it is at most 0 or at least 1 *)
Lemma apart_by_1 (z : Z) : IZR z <= 0 \/ 1 <= IZR z.
Proof.
  destruct (Z.le_gt_cases z 0) as [H | H]; [left; apply (IZR_le z 0 H) | right].
  apply (IZR_le 1), (Z.le_succ_l 0), H.
Qed.
Ltac whole_cases z :=
  let H := fresh in pose proof (apart_by_1 z) as H; rewrite ?plus_IZR, ?mult_IZR, <- ?INR_IZR_INZ in H;
  destruct H; [left | right]; lra.
Ltac defined := repeat split; nonzero.
Definition reduced (D r : R) := D = r.
Ltac reduce := match goal with E : reduced ?D _ |- context [?D] => red in E; rewrite E; clear E end.
Ltac same := first [ ring | field; defined | reduce; repeat reduce; field; defined ].
(* What is divided by, as it stands: `field` and `lra` expand it. *)
Ltac differs D := try (assert (D <> 0) by nonzero).
(* What turns products of sums into sums; nothing, where there are no vectors. *)
Ltac prepared := idtac.
(* A denominator D that differs from zero and equals p / q: so does p, for which `field` asks. *)
Ltac numerator D p q := try (
  assert (reduced D (p / q)) by (red; prepared; field; defined);
  assert (p <> 0) by
    (let Z := fresh in intro Z; assert (D <> 0) as known by nonzero; apply known;
     replace D with (p / q) by (symmetry; assumption); rewrite Z; unfold Rdiv; ring)).
(* Two roots of the same number, which `field` takes for two unknowns. *)
Ltac alike a b := try (replace a with b by (f_equal; first [ reflexivity | field; defined ])).

(* A fact that states the goal with counters in another form *)
Lemma le_as (a b c d : R) : a <= b -> c = a -> d = b -> c <= d. Proof. lra. Qed.
Lemma lt_as (a b c d : R) : a < b -> c = a -> d = b -> c < d. Proof. lra. Qed.
Lemma eq_as (a b c d : R) : a = b -> c = a -> d = b -> c = d. Proof. lra. Qed.
Lemma ne_as (a b c d : R) : a <> b -> c = a -> d = b -> c <> d. Proof. intros H -> ->; exact H. Qed.
Ltac counters := rewrite ?S_INR, <- ?tech_pow_Rmult, ?pow_O; change (INR 0) with 0; same.
Ltac agrees H := first
  [ exact H
  | apply (le_as _ _ _ _ H); counters
  | apply (lt_as _ _ _ _ H); counters
  | apply (eq_as _ _ _ _ H); counters
  | apply (ne_as _ _ _ _ H); counters ].

(* Numbers of a counterexample *)
Lemma apart_of (a b s : R) : b - a = s -> s < 0 \/ 0 < s -> a <> b. Proof. lra. Qed.
Lemma root_is (x v : R) : 0 <= v -> x = v ^ 2 -> sqrt x = v.
Proof. intros ? ->. apply sqrt_pow2; assumption. Qed.
Ltac numbers := first [ lra | field; repeat split; lra ].
Ltac extreme := unfold Rmax, Rmin, Rabs; repeat (destruct Rle_dec || destruct Rcase_abs); numbers.
Ltac apart := first [ left; lra | right; lra ].

(* A natural number as a value that exists *)
Lemma ceiling_exists (x : R) : 0 <= x -> exists n : nat, x <= INR n /\ INR n < x + 1.
Proof.
  intro; destruct (archimed (- x)) as [above below].
  assert (whole : IZR (1 - up (- x)) = 1 - IZR (up (- x))) by (rewrite minus_IZR; reflexivity).
  exists (Z.to_nat (1 - up (- x))).
  rewrite INR_IZR_INZ, Z2Nat.id; [lra | apply le_IZR; lra].
Qed.
Lemma natural_above (n : nat) : 0 < INR n -> 1 <= INR n.
Proof. intro; apply (le_INR 1), INR_lt; assumption. Qed.
Lemma natural_from (x : R) : exists n : nat, 1 <= INR n /\ x <= INR n.
Proof.
  destruct (ceiling_exists (Rmax 1 x)) as [n [above _]]; [apply Rle_trans with 1; [lra | apply Rmax_l] |].
  exists n; split; apply Rle_trans with (Rmax 1 x); [apply Rmax_l | assumption | apply Rmax_r | assumption].
Qed.
