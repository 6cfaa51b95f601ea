/**
 * Tests of the core as a whole: which of its packages may use which, and what they may use of others. The rules are
 * checked on the compiled classes.
 */
@NullMarked
package dev.spream.core;

import org.jspecify.annotations.NullMarked;
