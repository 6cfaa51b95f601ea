/**
 * What a plug-in implements to be found: a provider for the port that it fills, the keys that it is configured by, and what
 * the host lends it. Providers are found by {@link java.util.ServiceLoader}, on the class path and in the plug-in folder,
 * and chosen by name. The ports themselves live in the cores, since they mention their types and their engines call
 * them; the API sits on top and says how an implementation is found, configured and wired.
 */
@NullMarked
package dev.spream.api.spi;

import org.jspecify.annotations.NullMarked;
