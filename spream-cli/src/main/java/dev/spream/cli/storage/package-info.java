/**
 * The flags that select a change stream and the storage of its partitions, and the opening of both, for {@code tail}
 * and for commands that inspect stored partitions. Internal.
 */
@NullMarked
package dev.spream.cli.storage;

import org.jspecify.annotations.NullMarked;
