(* Stands after prelude.v in files that speak of vectors *)
(* Vectors of any dimension d are their coordinates, families of them functions of their number *)
Definition vector := nat -> R.
Fixpoint sum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => sum k f + f k end.
Definition dot (d : nat) (u v : vector) := sum d (fun k => u k * v k).
Definition plus (u v : vector) : vector := fun k => u k + v k.
Definition minus (u v : vector) : vector := fun k => u k - v k.
Definition times (c : R) (u : vector) : vector := fun k => c * u k.
Definition total (n : nat) (u : nat -> vector) : vector := fun k => sum n (fun i => u i k).
Definition each (n d : nat) (u v : nat -> vector) := sum n (fun i => dot d (u i) (v i)).
Definition all_plus (u v : nat -> vector) i := plus (u i) (v i).
Definition all_minus (u v : nat -> vector) i := minus (u i) (v i).
Definition all_times (c : R) (u : nat -> vector) i := times c (u i).
Definition all (u : vector) (i : nat) := u.

Lemma sum_same n f g : (forall k, f k = g k) -> sum n f = sum n g.
Proof. intro H; induction n; simpl; [ | rewrite IHn, H ]; reflexivity. Qed.
Lemma sum_plus n f g : sum n (fun k => f k + g k) = sum n f + sum n g.
Proof. induction n; simpl; [ | rewrite IHn ]; ring. Qed.
Lemma sum_minus n f g : sum n (fun k => f k - g k) = sum n f - sum n g.
Proof. induction n; simpl; [ | rewrite IHn ]; ring. Qed.
Lemma sum_times n c f : sum n (fun k => c * f k) = c * sum n f.
Proof. induction n; simpl; [ | rewrite IHn ]; ring. Qed.
Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n; [ simpl | rewrite S_INR; simpl; rewrite IHn ]; ring. Qed.
Lemma sum_positive n f : (forall k, 0 <= f k) -> 0 <= sum n f.
Proof. intro H; induction n; simpl; [ lra | specialize (H n); lra ]. Qed.
Lemma sum_swap n d f : sum n (fun i => sum d (f i)) = sum d (fun k => sum n (fun i => f i k)).
Proof.
  induction n; simpl; [ | rewrite IHn, <- sum_plus; reflexivity ].
  rewrite (sum_const d 0); ring.
Qed.

Lemma dot_swap d u v : dot d u v = dot d v u. Proof. apply sum_same; intro; ring. Qed.
Lemma dot_plus d u v w : dot d (plus u v) w = dot d u w + dot d v w.
Proof. unfold dot; rewrite <- sum_plus; apply sum_same; intro; unfold plus; ring. Qed.
Lemma dot_minus d u v w : dot d (minus u v) w = dot d u w - dot d v w.
Proof. unfold dot; rewrite <- sum_minus; apply sum_same; intro; unfold minus; ring. Qed.
Lemma dot_times d c u w : dot d (times c u) w = c * dot d u w.
Proof. unfold dot; rewrite <- sum_times; apply sum_same; intro; unfold times; ring. Qed.
Lemma dot_plus_ d u v w : dot d w (plus u v) = dot d w u + dot d w v.
Proof. rewrite dot_swap, dot_plus, !(dot_swap d w); reflexivity. Qed.
Lemma dot_minus_ d u v w : dot d w (minus u v) = dot d w u - dot d w v.
Proof. rewrite dot_swap, dot_minus, !(dot_swap d w); reflexivity. Qed.
Lemma dot_times_ d c u w : dot d w (times c u) = c * dot d w u.
Proof. rewrite dot_swap, dot_times, (dot_swap d w); reflexivity. Qed.
Lemma dot_square d u : 0 <= dot d u u.
Proof. apply sum_positive; intro; apply (Rle_0_sqr (u k)). Qed.

Lemma each_swap n d u v : each n d u v = each n d v u. Proof. apply sum_same; intro; apply dot_swap. Qed.
Lemma each_plus n d u v w : each n d (all_plus u v) w = each n d u w + each n d v w.
Proof. unfold each; rewrite <- sum_plus; apply sum_same; intro; apply dot_plus. Qed.
Lemma each_minus n d u v w : each n d (all_minus u v) w = each n d u w - each n d v w.
Proof. unfold each; rewrite <- sum_minus; apply sum_same; intro; apply dot_minus. Qed.
Lemma each_times n d c u w : each n d (all_times c u) w = c * each n d u w.
Proof. unfold each; rewrite <- sum_times; apply sum_same; intro; apply dot_times. Qed.
Lemma each_plus_ n d u v w : each n d w (all_plus u v) = each n d w u + each n d w v.
Proof. rewrite each_swap, each_plus, !(each_swap n d w); reflexivity. Qed.
Lemma each_minus_ n d u v w : each n d w (all_minus u v) = each n d w u - each n d w v.
Proof. rewrite each_swap, each_minus, !(each_swap n d w); reflexivity. Qed.
Lemma each_times_ n d c u w : each n d w (all_times c u) = c * each n d w u.
Proof. rewrite each_swap, each_times, (each_swap n d w); reflexivity. Qed.
Lemma each_square n d u : 0 <= each n d u u. Proof. apply sum_positive; intro; apply dot_square. Qed.
Lemma each_all n d u v : each n d (all u) v = dot d u (total n v).
Proof.
  unfold each, dot, total, all; rewrite sum_swap; apply sum_same; intro k; rewrite sum_times; reflexivity.
Qed.
Lemma each_all_ n d u v : each n d v (all u) = dot d u (total n v). Proof. rewrite each_swap; apply each_all. Qed.

Lemma each_of_total n d u v : dot d v (total n u) = each n d (all v) u. Proof. symmetry; apply each_all. Qed.
Lemma total_plus n d u v w : dot d w (total n (all_plus u v)) = dot d w (total n u) + dot d w (total n v).
Proof. rewrite !each_of_total; apply each_plus_. Qed.
Lemma total_minus n d u v w : dot d w (total n (all_minus u v)) = dot d w (total n u) - dot d w (total n v).
Proof. rewrite !each_of_total; apply each_minus_. Qed.
Lemma total_times n d c u w : dot d w (total n (all_times c u)) = c * dot d w (total n u).
Proof. rewrite !each_of_total; apply each_times_. Qed.
Lemma total_all n d u w : dot d w (total n (all u)) = INR n * dot d w u.
Proof. rewrite each_of_total; unfold each, all; apply sum_const. Qed.

Create HintDb products.
#[global] Hint Rewrite dot_plus dot_minus dot_times dot_plus_ dot_minus_ dot_times_ each_plus each_minus each_times each_plus_
  each_minus_ each_times_ each_all each_all_ total_plus total_minus total_times total_all : products.
Ltac prepared ::= autorewrite with products.
