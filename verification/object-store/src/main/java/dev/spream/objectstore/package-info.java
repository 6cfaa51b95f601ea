/** The contract of the stores of the files sink. Knows the port of these stores, JUnit and AssertJ. */
@NullMarked
package dev.spream.objectstore;

import org.jspecify.annotations.NullMarked;
