import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, ReadsPersonalData } from '../../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../../http/envelope.js';
import { RupaIdParam } from '../../../http/validating/path-parameters.js';
import { type RupaId } from '../../../http/validating/validation.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { EXAMPLE, RupaIdParameter } from '../../../http/openapi/properties.js';
import { ServedInMaintenance } from '../../../http/limiting/maintenance-mode.js';
import { Reads } from '../../../http/route-rules.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { EraseFarmer } from '../erasing/erase-farmer.command.js';
import { ErasedFarmer, FARMER_CONFLICT, FARMER_NOT_FOUND, FarmerRecordView, RecordedFarmer } from './farmer-responses.dto.js';
import { FarmerDto } from './farmer-record.dto.js';
import { farmerRecordView, GetFarmer } from './get-farmer.query.js';
import { RecordFarmer } from './record-farmer.command.js';

const ERASURE =
  'Responds once the farmer’s personal data cannot be read any more, neither in the read models nor in the event log. The Rupa ID remains as a pseudonym in wallets and on rosters, and cannot be registered again. Repeating the call changes nothing.';

@Controller('admin/v1/farmers')
@AdminApi('Farmers')
@RupaIdParameter(EXAMPLE.registered)
export class FarmersAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Put(':rupaId')
  @Operation('recordFarmer', 'Register a farmer, or replace the sections that are sent')
  @Responds(RecordedFarmer)
  @Fails(FARMER_CONFLICT, NOT_YET_IN_FORCE)
  async record(@RupaIdParam() rupa_id: RupaId, @Body() farmer: FarmerDto, @Actor() actor: string): Promise<Success<RecordedFarmer>> {
    if ((farmer.rupa_id ?? rupa_id) !== rupa_id)
      throw new ValidationFailed({ rupa_id: ['The rupa id field must be the one of the path.'] });
    const { created } = await this.commands.execute(new RecordFarmer(rupa_id, farmer, actor));
    return success({ rupa_id, created });
  }

  @Get(':rupaId')
  @ReadsPersonalData
  @Reads({ whole: ['farmer_profile', 'contribution'] })
  @Operation('getFarmer', 'Get a farmer’s record as the service holds it; not for auditors')
  @Responds(FarmerRecordView)
  @Fails(FARMER_NOT_FOUND)
  async show(@RupaIdParam() rupa_id: string): Promise<Success<FarmerRecordView>> {
    return success(farmerRecordView(await this.queries.execute(new GetFarmer(rupa_id))));
  }

  @Delete(':rupaId')
  @ServedInMaintenance
  @Operation('eraseFarmer', 'Erase a farmer permanently', ERASURE)
  @Responds(ErasedFarmer)
  @Fails(FARMER_NOT_FOUND, FARMER_CONFLICT)
  async erase(@RupaIdParam() rupa_id: RupaId, @Actor() actor: string): Promise<Success<ErasedFarmer>> {
    await this.commands.execute(new EraseFarmer(rupa_id, actor));
    return success({ rupa_id, erased: true });
  }
}
