import { describeFiles } from '../describe-files';

describeFiles('test/unit');
