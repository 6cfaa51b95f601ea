/** Tests of the applied ledger, on real servers. */
@NullMarked
package dev.spream.storage.jdbc.ledger;

import org.jspecify.annotations.NullMarked;
