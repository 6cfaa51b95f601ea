/**
 * The {@code spream} command. Start with {@link dev.spream.cli.Main}; each command group has a package of its own. A
 * command parses its flags, rejects invalid ones with a {@link dev.spream.cli.command.UsageFailure}, and uses the API
 * and the adapters like any program.
 */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
