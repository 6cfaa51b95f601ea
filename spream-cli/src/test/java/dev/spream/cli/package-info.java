/** Tests of the command line: its flags and its check alone, and the whole as a user runs it. */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
