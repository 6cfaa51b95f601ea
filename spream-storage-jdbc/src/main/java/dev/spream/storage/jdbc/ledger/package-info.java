/**
 * Which changes have taken effect in a PostgreSQL database: a row for each, written in the transaction of the effect,
 * so that a change which comes again does nothing. Read {@link dev.spream.storage.jdbc.ledger.AppliedLedger} first, and
 * its argument why that holds while rows are pruned. Independent of the kind of effect.
 */
@NullMarked
package dev.spream.storage.jdbc.ledger;

import org.jspecify.annotations.NullMarked;
