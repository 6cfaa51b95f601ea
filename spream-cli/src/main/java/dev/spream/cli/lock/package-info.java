/**
 * {@code locks}: the commands for hierarchical locks. Start with {@link dev.spream.cli.lock.LocksCommand}.
 */
@NullMarked
package dev.spream.cli.lock;

import org.jspecify.annotations.NullMarked;
