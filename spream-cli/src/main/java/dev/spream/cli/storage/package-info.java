/**
 * The flags that name a change stream and the storage of its partitions, and how both are opened: for {@code tail}, and for the
 * commands that look at what readers stored. Not for users.
 */
@NullMarked
package dev.spream.cli.storage;

import org.jspecify.annotations.NullMarked;
