/**
 * A change stream that is told what it holds, {@link dev.spream.testkit.subscription.ScriptedSource}, and a recording of
 * virtual threads that were pinned.
 */
@NullMarked
package dev.spream.testkit.subscription;

import org.jspecify.annotations.NullMarked;
