import { describeFiles } from '../describe-files';

describeFiles('apps/schedule');
describeFiles('apps/webhook');
