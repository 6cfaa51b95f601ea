/**
 * The health of a running subscription, for endpoints that orchestrators probe. Read {@link
 * dev.spream.api.health.SubscriptionHealth} first. Depends on the core and on no other part of spream.
 */
@NullMarked
package dev.spream.api.health;

import org.jspecify.annotations.NullMarked;
