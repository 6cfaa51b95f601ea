/**
 * A scripted change stream, {@link dev.spream.testkit.subscription.ScriptedSource}, one that changes the records of another, and
 * a recording of pinned virtual threads.
 */
@NullMarked
package dev.spream.testkit.subscription;

import org.jspecify.annotations.NullMarked;
