/**
 * The applied ledger in PostgreSQL: a row for each change that took effect, written in the transaction of the effect,
 * so that a change that is delivered again has none. Read {@link dev.spream.storage.jdbc.ledger.AppliedLedger} first,
 * which explains why this holds while rows are pruned. Independent of the kind of effect.
 */
@NullMarked
package dev.spream.storage.jdbc.ledger;

import org.jspecify.annotations.NullMarked;
