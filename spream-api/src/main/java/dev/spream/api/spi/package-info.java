/**
 * The interfaces that a plug-in implements to be found: a provider for the port that it fills, the keys that it is
 * configured by, and what the host lends it. Providers are found by {@link java.util.ServiceLoader}, on the class path and
 * in the plug-in folder, and chosen by name. Ports live in the cores, plugs here: a port mentions the types of its core and
 * is called by its engine. A {@link dev.spream.api.spi.Port} is declared beside its provider and registered in {@link
 * dev.spream.api.spi.Ports}, and that is all that discovery and configuration know of it.
 */
@NullMarked
package dev.spream.api.spi;

import org.jspecify.annotations.NullMarked;
