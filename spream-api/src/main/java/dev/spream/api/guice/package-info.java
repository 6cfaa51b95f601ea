/**
 * Integration with Guice, which the application provides: a module that binds a {@link dev.spream.api.Spream}. It does
 * nothing that {@link dev.spream.api.Spream#builder} cannot do.
 */
@NullMarked
package dev.spream.api.guice;

import org.jspecify.annotations.NullMarked;
