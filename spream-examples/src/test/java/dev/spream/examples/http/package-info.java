/** Tests of the validation of requests. */
@NullMarked
package dev.spream.examples.http;

import org.jspecify.annotations.NullMarked;
