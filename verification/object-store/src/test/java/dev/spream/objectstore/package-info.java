/** The contract of stores on the local disk. */
@NullMarked
package dev.spream.objectstore;

import org.jspecify.annotations.NullMarked;
