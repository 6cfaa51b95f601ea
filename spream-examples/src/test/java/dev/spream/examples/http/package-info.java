/** What requests may say. */
@NullMarked
package dev.spream.examples.http;

import org.jspecify.annotations.NullMarked;
