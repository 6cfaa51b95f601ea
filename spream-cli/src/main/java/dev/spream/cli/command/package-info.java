/**
 * The base of all commands: options and arguments, the configuration with its flags, and the display of failures. Start with
 * {@link dev.spream.cli.command.Subcommand}. Nothing here knows a command. Not for users.
 */
@NullMarked
package dev.spream.cli.command;

import org.jspecify.annotations.NullMarked;
