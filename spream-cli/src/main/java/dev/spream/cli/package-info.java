/**
 * The {@code spream} command. {@link dev.spream.cli.Main} runs it; the classes named {@code …Command} are what it can do,
 * {@link dev.spream.cli.TailCommand} first; {@link dev.spream.cli.Demo} is {@code tail --demo}, and {@link
 * dev.spream.cli.PartitionStorages} opens the storage that the flags name. Records go to the standard output of {@code
 * tail} and nothing else does. It uses the framework as any program would: nothing depends on it.
 */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
