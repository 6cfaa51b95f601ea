/**
 * A buffer on disk for transactions that do not fit into memory. Only this package uses H2, an optional dependency that the
 * program provides. It depends on the core and on no other part of spream.
 */
@NullMarked
package dev.spream.api.buffer;

import org.jspecify.annotations.NullMarked;
