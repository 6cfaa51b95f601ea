package dev.spream.spring.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application with a consumer, and a component that spream does not use. */
@SpringBootApplication
class OrdersApplication {}
