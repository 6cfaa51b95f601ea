/**
 * The interfaces that plug-ins implement: a provider for each port, configuration keys, and the context provided by the
 * host. Providers are found by {@link java.util.ServiceLoader}, on the class path and in the plug-in folder, and
 * selected by name. The ports themselves are declared in the cores; a {@link dev.spream.api.spi.Port} describes one for
 * discovery and configuration, is declared beside its provider, and is registered in {@link dev.spream.api.spi.Ports}.
 */
@NullMarked
package dev.spream.api.spi;

import org.jspecify.annotations.NullMarked;
