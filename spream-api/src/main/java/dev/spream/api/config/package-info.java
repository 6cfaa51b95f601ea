/**
 * Configuration: where it comes from, what holds when sources disagree, and whether it can be meant. Files, the environment
 * and flags are collected as text; which keys there are, and of which types, is known when the plug-ins are. All that is
 * wrong is reported at once.
 */
@NullMarked
package dev.spream.api.config;

import org.jspecify.annotations.NullMarked;
