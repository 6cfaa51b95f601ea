/**
 * Other readers of change streams and spream take over from each other. {@link dev.spream.interop.BeamHandOverIT} is where
 * to begin: Apache Beam runs as it is published, in a process of its own, which is killed.
 */
@NullMarked
package dev.spream.interop;

import org.jspecify.annotations.NullMarked;
