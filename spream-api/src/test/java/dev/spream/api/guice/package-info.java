/** Tests of the Guice module. */
@NullMarked
package dev.spream.api.guice;

import org.jspecify.annotations.NullMarked;
