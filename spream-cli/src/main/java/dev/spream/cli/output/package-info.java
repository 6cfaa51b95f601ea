/**
 * The output of commands: columns, JSON, text of others made plain, lines that keep changing. Nothing here knows a command or an
 * option. Not for users.
 */
@NullMarked
package dev.spream.cli.output;

import org.jspecify.annotations.NullMarked;
