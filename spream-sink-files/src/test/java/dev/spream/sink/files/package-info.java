/** Tests of the files sink, over stores in memory and on disk. */
@NullMarked
package dev.spream.sink.files;

import org.jspecify.annotations.NullMarked;
