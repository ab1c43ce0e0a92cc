import { AccountSchema } from '../../operator/account.ts';
import { KeySchema } from '../../operator/key.ts';
import { NoticeSchema } from '../../operator/notice.ts';
import { PriceReportSchema } from '../../operator/price.ts';
import { TokenSchema } from '../../operator/token.ts';
import { WindowSchema } from '../../operator/window.ts';
import { AccountDetailSchema, AccountListSchema } from './accounts.ts';
import { AuditEntrySchema, AuditPageSchema } from './audit.ts';
import { FeedHealthSchema, FeedSchema, FeedSpanSchema } from './feed.ts';
import { KeyListSchema, NewKeySchema, RotatedKeySchema } from './keys.ts';
import { WindowListSchema } from './maintenance.ts';
import { ClientErrorSchema, PreviewSchema } from './maintenance-preview.ts';
import { HistorySchema, PricePointSchema } from './market-history.ts';
import {
  MarketDetailSchema,
  MarketListSchema,
  MarketRowSchema,
  MarketSchema,
  TickerSchema,
  UpstreamQuoteSchema,
} from './markets.ts';
import { NoticeListSchema, NoticeMailSchema } from './notices.ts';
import { OverviewSchema, PublicWindowSchema, ServiceStateSchema, ServiceStatusSchema } from './overview.ts';
import { ProblemDescriptionSchema, ProblemSchema } from './problem-body.ts';
import { RateListSchema, RateSchema } from './rates.ts';
import { SessionSchema } from './session.ts';
import { TokenListSchema } from './tokens.ts';
import { KeyUsageSchema, UsageSchema } from './usage.ts';

/** `components/schemas` of the document, by the names they are referred to by. */
export const schemas = {
  Session: SessionSchema,
  Overview: OverviewSchema,
  ServiceStatus: ServiceStatusSchema,
  ServiceState: ServiceStateSchema,
  PublicWindow: PublicWindowSchema,
  MarketList: MarketListSchema,
  MarketRow: MarketRowSchema,
  Market: MarketSchema,
  MarketDetail: MarketDetailSchema,
  Ticker: TickerSchema,
  UpstreamQuote: UpstreamQuoteSchema,
  PriceReport: PriceReportSchema,
  History: HistorySchema,
  PricePoint: PricePointSchema,
  Feed: FeedSchema,
  FeedHealth: FeedHealthSchema,
  FeedSpan: FeedSpanSchema,
  RateList: RateListSchema,
  Rate: RateSchema,
  AccountList: AccountListSchema,
  Account: AccountSchema,
  AccountDetail: AccountDetailSchema,
  KeyList: KeyListSchema,
  Key: KeySchema,
  NewKey: NewKeySchema,
  RotatedKey: RotatedKeySchema,
  KeyUsage: KeyUsageSchema,
  Usage: UsageSchema,
  WindowList: WindowListSchema,
  Window: WindowSchema,
  Preview: PreviewSchema,
  ClientError: ClientErrorSchema,
  NoticeList: NoticeListSchema,
  Notice: NoticeSchema,
  NoticeMail: NoticeMailSchema,
  AuditPage: AuditPageSchema,
  AuditEntry: AuditEntrySchema,
  TokenList: TokenListSchema,
  Token: TokenSchema,
  Problem: ProblemSchema,
  ProblemDescription: ProblemDescriptionSchema,
};
