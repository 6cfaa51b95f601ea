/**
 * A scripted change stream, {@link dev.spream.testkit.subscription.ScriptedSource}, and a recording of pinned virtual
 * threads.
 */
@NullMarked
package dev.spream.testkit.subscription;

import org.jspecify.annotations.NullMarked;
