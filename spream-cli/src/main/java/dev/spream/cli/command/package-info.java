/**
 * The base of all commands: options and arguments, the configuration with its flags, and the display of failures. Start
 * with {@link dev.spream.cli.command.Subcommand}. Independent of particular commands. Internal.
 */
@NullMarked
package dev.spream.cli.command;

import org.jspecify.annotations.NullMarked;
