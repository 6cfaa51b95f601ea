/**
 * What all commands share: options and arguments, the configuration with its flags, and how a failure is shown. Start with
 * {@link dev.spream.cli.command.Subcommand}. Nothing here knows a command. Not for users.
 */
@NullMarked
package dev.spream.cli.command;

import org.jspecify.annotations.NullMarked;
