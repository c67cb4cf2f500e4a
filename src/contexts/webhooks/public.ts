/** The public interface of the webhooks context. */
export { LOW_BALANCE_TYPE, SUBSCRIBABLE_TYPES } from './domain/notification-types.js';
export { TriggerEvent } from './test-events/trigger-event.command.js';
export { SandboxEventDto } from './endpoints/webhooks.dto.js';
