/**
 * The {@code spream} command. {@link dev.spream.cli.Main} runs it; {@link dev.spream.cli.TailCommand} and {@link
 * dev.spream.cli.EmulatorCommand} are what it can do, {@link dev.spream.cli.Demo} is {@code tail --demo}. Records go to
 * the standard output and nothing else does. It uses the framework as any program would: nothing depends on it.
 */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
