/**
 * Apache Beam's own change stream reader as a program. {@link dev.spream.interop.beam.BeamPipeline} is all of it. It has a
 * class path of its own, with the Spanner client that Beam was released with, so it depends on nothing of spream, and runs
 * in a process of its own.
 */
@NullMarked
package dev.spream.interop.beam;

import org.jspecify.annotations.NullMarked;
