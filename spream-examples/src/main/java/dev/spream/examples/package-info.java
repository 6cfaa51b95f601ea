/**
 * Small programs to start from. {@link dev.spream.examples.TailExample} reads a change stream with spream; {@link
 * dev.spream.examples.WriterExample} makes one to read, and knows nothing but google-cloud-spanner.
 */
@NullMarked
package dev.spream.examples;

import org.jspecify.annotations.NullMarked;
