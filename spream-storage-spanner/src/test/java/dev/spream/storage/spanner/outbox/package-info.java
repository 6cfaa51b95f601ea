/** Tests of the outbox over real servers. */
@NullMarked
package dev.spream.storage.spanner.outbox;

import org.jspecify.annotations.NullMarked;
