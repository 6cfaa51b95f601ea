/**
 * The {@code spream} command. Start with {@link dev.spream.cli.Main}; each group of commands has a package of its own below this
 * one. A command reads its flags, refuses with a {@link dev.spream.cli.command.UsageFailure} what cannot be meant, and works with
 * the api and the adapters as any program could.
 */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
