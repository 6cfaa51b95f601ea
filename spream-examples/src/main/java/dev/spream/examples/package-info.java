/**
 * Small programs to start from. {@link dev.spream.examples.TailExample} reads a change stream with spream; {@link
 * dev.spream.examples.WriterExample} creates and fills one, with google-cloud-spanner only.
 */
@NullMarked
package dev.spream.examples;

import org.jspecify.annotations.NullMarked;
