import operationsService from '@eventstore/db-client/generated/operations_grpc_pb.js';
import type persistent from '@eventstore/db-client/generated/persistent_pb.js';
import persistentService from '@eventstore/db-client/generated/persistent_grpc_pb.js';
import grpc from '@grpc/grpc-js';
import { serviceError } from './grpc-errors.js';

/**
 * Adds the two calls whose true response is that something does not exist: a persistent subscription cannot be created here, and no
 * scavenge ever runs. gRPC itself refuses all other methods of these services as not implemented.
 */
export function addAbsentServices(server: grpc.Server): void {
  server.addService(persistentService.PersistentSubscriptionsService, {
    read: (call: grpc.ServerDuplexStream<persistent.ReadReq, persistent.ReadResp>) => {
      call.once('data', (request: persistent.ReadReq) => {
        const options = request.getOptions();
        const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
        const trailers = { 'stream-name': options?.hasAll() ? '$all' : stream, 'group-name': options?.getGroupName() ?? '' };
        call.emit('error', missing('persistent-subscription-does-not-exist', trailers));
      });
    },
  });
  server.addService(operationsService.OperationsService, {
    stopScavenge: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
      callback(missing('scavenge-not-found', {}));
    },
  });
}

function missing(exception: string, trailers: Record<string, string>): grpc.ServiceError {
  const ascii = Object.entries(trailers).map(([key, value]) => [key, value.replaceAll(/[^\x20-\x7e]/g, '?')]);
  return serviceError(grpc.status.NOT_FOUND, 'It does not exist: this server has none.', {
    exception,
    ...(Object.fromEntries(ascii) as Record<string, string>),
  });
}
