/** Tests of the files sink, and the contract of its stores, which the tests of other modules extend. */
@NullMarked
package dev.spream.sink.files;

import org.jspecify.annotations.NullMarked;
