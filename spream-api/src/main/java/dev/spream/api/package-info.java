/**
 * Entry points for programs that are set up by configuration: {@link dev.spream.api.Spream} runs a subscription whose
 * source, storage, sink and policies are named by a {@link dev.spream.api.config.SpreamConfig}. {@link
 * dev.spream.api.ConfiguredOutbox} and its siblings open the other parts in the same way. Ports are declared in the
 * cores; this module finds, configures and connects their implementations.
 */
@NullMarked
package dev.spream.api;

import org.jspecify.annotations.NullMarked;
